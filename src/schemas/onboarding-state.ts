import * as z from 'zod/mini';
import { anything, flag, number, numbers, text, texts } from './fields.js';
import { closedObject, openObject } from './object.js';

// The specification gives the names and types of these fields (2.1.2). Their meaning is read from the names.

/** By its name, what a client stated about themselves (specification, 2.1.2, `personalInfo`). */
export interface PersonalInfo {
  /** Full name. */
  fullName?: string | undefined;
  /** Name of the company. */
  companyName?: string | undefined;
  /** Role. */
  role?: string | undefined;
  /** Industry. */
  industry?: string | undefined;
}

/** Schema of {@link PersonalInfo}. */
export const PersonalInfoSchema = /* @__PURE__ */ openObject(() => ({
  fullName: text,
  companyName: text,
  role: text,
  industry: text,
}));

/** By its name, the preferences of a client (specification, 2.1.2, `preferences`). */
export interface OnboardingPreferences {
  /** Primary use case; not described further. */
  primaryUseCase?: string | undefined;
  /** Communication preferences; values are not shown. */
  communicationPreferences?: string[] | undefined;
  /** Goals; values are not shown. */
  goals?: string[] | undefined;
}

/** Schema of {@link OnboardingPreferences}. */
export const OnboardingPreferencesSchema = /* @__PURE__ */ openObject(() => ({
  primaryUseCase: text,
  communicationPreferences: texts,
  goals: texts,
}));

/** By its name, data of the set-up (specification, 2.1.2, `setupData`). */
export interface SetupData {
  /** Selected agents; by their name ids or names, not described further. */
  selectedAgents?: string[] | undefined;
  /** Customizations; any JSON value. */
  customizations?: unknown;
}

/** Schema of {@link SetupData}. */
export const SetupDataSchema = /* @__PURE__ */ openObject(() => ({
  selectedAgents: texts,
  customizations: anything,
}));

/** By its name, the state of a client's onboarding (specification, 2.1.2; closed). */
export interface OnboardingState {
  /** Current step; not described further. */
  currentStep?: number | undefined;
  /** By its name, the onboarding is completed. */
  isCompleted?: boolean | undefined;
  /** Completed steps. */
  completedSteps?: number[] | undefined;
  /** Personal information. */
  personalInfo?: PersonalInfo | undefined;
  /** Preferences. */
  preferences?: OnboardingPreferences | undefined;
  /** Data of the set-up. */
  setupData?: SetupData | undefined;
}

/** Schema of {@link OnboardingState}. */
export const OnboardingStateSchema = /* @__PURE__ */ closedObject(() => ({
  currentStep: number,
  isCompleted: flag,
  completedSteps: numbers,
  personalInfo: z.optional(PersonalInfoSchema),
  preferences: z.optional(OnboardingPreferencesSchema),
  setupData: z.optional(SetupDataSchema),
}));
