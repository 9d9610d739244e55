import type { ChangeEmitter } from '../changes.js';
import { Journal, NOT_KEPT } from './log.js';
import type { FakeRequest } from './requests.js';

/** Records requests in the order of their arrival. */
export function createRequestLog(changes: ChangeEmitter): Journal<FakeRequest> {
  return new Journal<FakeRequest>({
    prefix: 'request',
    withoutBodies: () => ({ body: NOT_KEPT, response: NOT_KEPT }),
    onEntry: (request) => changes.emit({ type: 'request', request }),
    onClear: () => changes.emit({ type: 'changed', what: 'requests' }),
  });
}
