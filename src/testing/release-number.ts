import type { ReleaseNumberInput } from '../schemas/release-number.js';
import type { Caller } from './caller.js';
import type { FakeChoices } from './choices.js';
import { Refusal } from './refusal.js';
import type { MutableRegionState } from './state.js';

/** Releases a number from a workspace: that of the request, or else the caller's, which is a choice (4.3). */
export function releaseNumber(
  input: ReleaseNumberInput,
  caller: Caller,
  state: MutableRegionState,
  choices: FakeChoices,
): void {
  const { phoneNumberSid: sid, isImportedNumber } = input;
  const workspaceId = input.workspaceId ?? caller.workspace.id;
  const number = state.phoneNumbers.get(sid);
  if (number === undefined || number.workspaceId !== workspaceId) {
    throw new Refusal('notFound', `The workspace "${workspaceId}" has no number "${sid}".`);
  }
  if (number.imported !== isImportedNumber && choices.numberKindMismatch === 'refuse') {
    const kind = number.imported ? 'an imported' : 'a rented';
    throw new Refusal('numberKindMismatch', `"${sid}" is ${kind} number: isImportedNumber does not fit.`);
  }
  if (isImportedNumber) {
    // Rule 2: only removed from the workspace; the customer's own telephony account keeps it.
    state.phoneNumbers.set(sid, { ...number, workspaceId: undefined });
  } else {
    // Rule 1: released on the platform's telephony account too, for good.
    state.phoneNumbers.delete(sid);
    state.releasedForGood.add(sid);
  }
}
