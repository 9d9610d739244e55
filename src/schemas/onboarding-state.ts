import * as z from 'zod/mini';
import { anything, flag, number, numbers, text, texts } from './leaf.js';
import { closedObject, openObject } from './object.js';

/** The answers of a client about themselves (specification, 2.1.2, `personalInfo`). */
export interface PersonalInfo {
  /** Full name. */
  fullName?: string | undefined;
  /** Name of the company. */
  companyName?: string | undefined;
  /** Role in the company. */
  role?: string | undefined;
  /** Industry of the company. */
  industry?: string | undefined;
}

/** Schema of {@link PersonalInfo}. */
export const PersonalInfoSchema = /* @__PURE__ */ openObject(() => ({
  fullName: text,
  companyName: text,
  role: text,
  industry: text,
}));

/** The choices of a client in the onboarding (specification, 2.1.2, `preferences`). */
export interface OnboardingPreferences {
  /** Main use the client has in mind. */
  primaryUseCase?: string | undefined;
  /** Ways of communication the client prefers. */
  communicationPreferences?: string[] | undefined;
  /** Goals of the client. */
  goals?: string[] | undefined;
}

/** Schema of {@link OnboardingPreferences}. */
export const OnboardingPreferencesSchema = /* @__PURE__ */ openObject(() => ({
  primaryUseCase: text,
  communicationPreferences: texts,
  goals: texts,
}));

/** The things that a client set up in the onboarding (specification, 2.1.2, `setupData`). */
export interface SetupData {
  /** Agents the client selected. */
  selectedAgents?: string[] | undefined;
  /** Customizations; any JSON value. */
  customizations?: unknown;
}

/** Schema of {@link SetupData}. */
export const SetupDataSchema = /* @__PURE__ */ openObject(() => ({
  selectedAgents: texts,
  customizations: anything,
}));

/** The progress of a client in the onboarding (specification, 2.1.2; closed). */
export interface OnboardingState {
  /** Step the client is at. */
  currentStep?: number | undefined;
  /** The onboarding is completed. */
  isCompleted?: boolean | undefined;
  /** Steps that are completed. */
  completedSteps?: number[] | undefined;
  /** Answers of the client about themselves. */
  personalInfo?: PersonalInfo | undefined;
  /** Choices of the client. */
  preferences?: OnboardingPreferences | undefined;
  /** Things that the client set up. */
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
