import { flag } from '../leaf.js';
import { openObject } from '../object.js';

/** The CRM alerts of a conversation (document, 2.6, crmAlerts). */
export interface CrmAlerts {
  /** The ECD is overdue. The document does not explain the abbreviation. */
  overdueECD?: boolean | undefined;
  /** An activity is overdue. */
  overdueActivity?: boolean | undefined;
  /** The lead is stale. */
  staleLead?: boolean | undefined;
  /** The lead has responded. */
  responded?: boolean | undefined;
  /** A new handoff is assigned. */
  newHandoffAssigned?: boolean | undefined;
}

/** Schema of {@link CrmAlerts}. */
export const CrmAlertsSchema = /* @__PURE__ */ openObject(() => ({
  overdueECD: flag,
  overdueActivity: flag,
  staleLead: flag,
  responded: flag,
  newHandoffAssigned: flag,
}));
