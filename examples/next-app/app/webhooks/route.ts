// POST /webhooks: receives the events of the service.
import { receiver } from '../../lib/platform';

export const POST = receiver.fetch;
