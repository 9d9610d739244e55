import { activityFields, type ConversationActivity } from './conversation/activity.js';
import { type ConversationContact, contactFields } from './conversation/contact.js';
import { type ConversationHandling, handlingFields } from './conversation/handling.js';
import { type ConversationIdentity, identityFields } from './conversation/identity.js';
import { type ConversationScoring, scoringFields } from './conversation/scoring.js';
import { openObject } from './object.js';

/**
 * A chat or call between an end user and an agent (specification, 2.6): contact, lead, assignment, cost, CRM, scoring and
 * token data. Most fields are optional, and the specification does not show which are not: here, every field but `ID`
 * is. Numeric times are UNIX timestamps whose unit the specification does not show.
 *
 * `externalFlowV4Session.sessionKey` and `voice.listenUrl` are secrets: `redact()` masks them.
 */
export interface Conversation
  extends ConversationContact,
    ConversationIdentity,
    ConversationActivity,
    ConversationHandling,
    ConversationScoring {}

/** Schema of {@link Conversation}. */
export const ConversationSchema = /* @__PURE__ */ openObject(() => ({
  ...contactFields(),
  ...identityFields(),
  ...activityFields(),
  ...handlingFields(),
  ...scoringFields(),
}));
