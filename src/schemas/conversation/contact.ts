import * as z from 'zod/mini';
import { number, type OpenEnum, openEnum, text } from '../leaf.js';

/** The end user as a contact and a lead (specification, 2.6: contact and lead, lead pipeline). */
export interface ConversationContact {
  /** Email of the end user. */
  userEmail?: string | undefined;
  /** Name of the end user. */
  userName?: string | undefined;
  /** Telephone number of the end user. */
  userPhone?: string | undefined;
  /** Address of the end user. */
  userAddress?: string | undefined;
  /** Company of the end user. */
  userCompany?: string | undefined;
  /** Website of the end user. */
  userWebsite?: string | undefined;
  /** Notes on the lead. */
  notes?: string | undefined;
  /** Profile picture of the end user. */
  userProfilePic?: string | undefined;
  /** Currency of the lead. */
  currency?: string | undefined;
  /** Date the lead is expected to close; format not documented. */
  expectedCloseDate?: string | undefined;
  /** Sub-industry of the lead. */
  subIndustry?: string | undefined;
  /** Source of the lead. */
  source?: string | undefined;
  /** Language of the lead. */
  language?: string | undefined;
  /** The lead on LinkedIn. */
  linkedIn?: string | undefined;
  /** The lead on Facebook. */
  facebook?: string | undefined;
  /** The lead on Instagram. */
  instagram?: string | undefined;
  /** Date of the demo; format not documented. */
  demoDate?: string | undefined;
  /** Time of the demo; format not documented. */
  demoTime?: string | undefined;
  /** Link to the demo. */
  demoLink?: string | undefined;
  /** Reason why the lead was lost. */
  lostReason?: string | undefined;
  /** Date of the last activity; format not documented. */
  lastActivityDate?: string | undefined;
  /** Stage in the lead pipeline. The specification shows `new`; other values are not shown. */
  stage?: OpenEnum<'new'> | undefined;
  /** Value in the lead pipeline; unit not documented. */
  value?: number | undefined;
}

export const contactFields = () => ({
  userEmail: text,
  userName: text,
  userPhone: text,
  userAddress: text,
  userCompany: text,
  userWebsite: text,
  notes: text,
  userProfilePic: text,
  currency: text,
  expectedCloseDate: text,
  subIndustry: text,
  source: text,
  language: text,
  linkedIn: text,
  facebook: text,
  instagram: text,
  demoDate: text,
  demoTime: text,
  demoLink: text,
  lostReason: text,
  lastActivityDate: text,
  stage: z.optional(openEnum<'new'>()),
  value: number,
});
