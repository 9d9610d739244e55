// POST /webhooks: stores an event, and answers 200.
import { getWebhooks } from '../../lib/webhooks.ts';

export const POST = (request: Request): Promise<Response> => getWebhooks().receiver.fetch(request);
