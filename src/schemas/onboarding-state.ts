import * as z from 'zod/v4/mini';
import { anything, flag, number, numbers, text, texts } from './fields.js';
import { closedObject, openObject } from './object.js';

// The specification gives names and types (2.1.2); meanings are read from the names. It doesn't
// describe the values of lists. The doc comments are the words of openapi.json, up to their first tag.

/** What a client said about themselves (specification, 2.1.2, `personalInfo`). */
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

/** The preferences of a client (specification, 2.1.2, `preferences`). */
export interface OnboardingPreferences {
  /** Primary use case. */
  primaryUseCase?: string | undefined;
  /** Communication preferences. */
  communicationPreferences?: string[] | undefined;
  /** Goals. */
  goals?: string[] | undefined;
}

/** Schema of {@link OnboardingPreferences}. */
export const OnboardingPreferencesSchema = /* @__PURE__ */ openObject(() => ({
  primaryUseCase: text,
  communicationPreferences: texts,
  goals: texts,
}));

/** Data of the setup (specification, 2.1.2, `setupData`). */
export interface SetupData {
  /** Selected agents: ids or names. */
  selectedAgents?: string[] | undefined;
  /** Customizations: any JSON value. */
  customizations?: unknown;
}

/** Schema of {@link SetupData}. */
export const SetupDataSchema = /* @__PURE__ */ openObject(() => ({
  selectedAgents: texts,
  customizations: anything,
}));

/** The state of a client's onboarding (specification, 2.1.2; closed). */
export interface OnboardingState {
  /** Current step. */
  currentStep?: number | undefined;
  /** Whether the onboarding is completed. */
  isCompleted?: boolean | undefined;
  /** Completed steps. */
  completedSteps?: number[] | undefined;
  /** Personal information. */
  personalInfo?: PersonalInfo | undefined;
  /** Preferences. */
  preferences?: OnboardingPreferences | undefined;
  /** Data of the setup. */
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
