import { number, text } from '../leaf.js';
import { openObject } from '../object.js';

/** The call of a conversation at the external voice provider (document, 2.6, voiceprov). */
export interface VoiceprovCall {
  /** Cost of the call; unit not documented. */
  cost?: number | undefined;
  /** Duration of the call; unit not documented. */
  callDuration?: number | undefined;
  /** URL of the recording. */
  recordingUrl?: string | undefined;
  /** URL of the synchronised recording. */
  syncRecordingUrl?: string | undefined;
  /** Telephone number of the caller. */
  callerPhoneNumber?: string | undefined;
  /** Telephone number of the callee. */
  calleePhoneNumber?: string | undefined;
  /** Status of the call. */
  callStatus?: string | undefined;
  /** Error of the call. */
  callError?: string | undefined;
}

/** Schema of {@link VoiceprovCall}. */
export const VoiceprovCallSchema = /* @__PURE__ */ openObject(() => ({
  cost: number,
  callDuration: number,
  recordingUrl: text,
  syncRecordingUrl: text,
  callerPhoneNumber: text,
  calleePhoneNumber: text,
  callStatus: text,
  callError: text,
}));

/** The voice session of a conversation (document, 2.6, voice). */
export interface VoiceSession {
  /** Id of the latest session. */
  latestSessionId?: string | undefined;
  /** URL to listen in. Secret: `redact()` masks it. */
  listenUrl?: string | undefined;
  /** Time of the listen URL: UNIX timestamp; unit not documented. */
  listenUrlUNIX?: number | undefined;
}

/** Schema of {@link VoiceSession}. */
export const VoiceSessionSchema = /* @__PURE__ */ openObject(() => ({
  latestSessionId: text,
  listenUrl: text,
  listenUrlUNIX: number,
}));
