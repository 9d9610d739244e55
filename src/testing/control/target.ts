import { isLoopback } from '../../ground/loopback.js';
import { targetAddress } from '../hosts.js';
import { ControlError, type ControlRules } from './action.js';

/** Whoever reaches the server could else have it post to places that only this machine reaches. */
export function checkTarget(field: string, text: string, { anyTarget }: ControlRules): string {
  const address = targetAddress(field, text);
  if (anyTarget || isLoopback(new URL(address).hostname)) return address;
  throw new ControlError(
    `${field} must be on this machine (localhost, 127.0.0.1), got ${address}: start with --host, or the option host of listen, to allow others.`,
  );
}
