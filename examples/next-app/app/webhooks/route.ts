// POST /webhooks: what the service sends.
import { receiver } from '../../lib/platform';

export const POST = receiver.fetch;
