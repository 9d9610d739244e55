import * as z from 'zod/v4/mini';
import { requiredText } from './fields.js';
import { closedObject, openObject } from './object.js';
import { type OrgClient, OrgClientSchema } from './org-client.js';
import { type Team, TeamSchema } from './team.js';

// The doc comments are the words of openapi.json, up to their first tag.

/** The clients and teams of an organisation, used for the assignment of chats (specification, 4.1). */
export interface MembersAndTeams {
  /** The dashboard users of the organisation. */
  clients: OrgClient[];
  /** The teams of the organisation. */
  teams: Team[];
}

/** Schema of {@link MembersAndTeams}. */
export const MembersAndTeamsSchema = /* @__PURE__ */ openObject(() => ({
  clients: z.array(OrgClientSchema),
  teams: z.array(TeamSchema),
}));

/** The whole response that lists members and teams (specification, 4.1; closed). */
export interface MembersAndTeamsResponse extends MembersAndTeams {
  /** Whether the operation succeeded. */
  success: boolean;
  /** Message about the operation. */
  message: string;
}

/** Schema of {@link MembersAndTeamsResponse}. */
export const MembersAndTeamsResponseSchema = /* @__PURE__ */ closedObject(() => ({
  success: z.boolean(),
  message: requiredText,
  clients: z.array(OrgClientSchema),
  teams: z.array(TeamSchema),
}));
