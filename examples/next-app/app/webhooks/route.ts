// POST /webhooks: what the service sends.
import { getReceiver } from '../../lib/platform';

export function POST(request: Request): Promise<Response> {
  return getReceiver().fetch(request);
}
