// GET /agents/{agentId}/convos/{convoId}: what your front end may see of a conversation. The token stays here.
import { NotFoundError } from 'agent-platform-sdk';
import { getPlatform } from '../../../../../lib/platform';

interface Context {
  readonly params: Promise<{ readonly agentId: string; readonly convoId: string }>;
}

export async function GET(request: Request, { params }: Context): Promise<Response> {
  try {
    // Closing the page ends the call.
    const { title, summary, lastMessage } = await getPlatform().conversations.get(await params, {
      signal: request.signal,
    });
    return Response.json({ title, summary, lastMessage });
  } catch (error) {
    // The service's own refusal has a `code`; the 404 of a proxy has none. That an unknown conversation is a 404 is an assumption: the
    // specification shows no status. Anything else is a 500, a refused token too.
    if (error instanceof NotFoundError && error.code !== undefined) {
      return Response.json({ error: 'not found' }, { status: 404 });
    }
    throw error;
  }
}
