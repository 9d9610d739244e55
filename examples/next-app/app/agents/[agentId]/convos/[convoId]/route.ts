// GET /agents/{agentId}/convos/{convoId}: the part of a conversation that your front end may see. The token
// stays on the server.
import { NotFoundError } from 'agent-platform-sdk';
import { getPlatform } from '../../../../../lib/platform';

interface Context {
  readonly params: Promise<{ readonly agentId: string; readonly convoId: string }>;
}

export async function GET(request: Request, { params }: Context): Promise<Response> {
  try {
    // If the page is closed, the call ends.
    const { title, summary, lastMessage } = await getPlatform().conversations.get(await params, {
      signal: request.signal,
    });
    return Response.json({ title, summary, lastMessage });
  } catch (error) {
    // A 404 with the error body of the specification (7) is taken for the service's own, and an unknown
    // conversation for a 404. Both are assumptions: the specification shows no status. Anything else is a
    // 500, even a refused token.
    if (error instanceof NotFoundError && error.errorBody !== undefined) {
      return Response.json({ error: 'not found' }, { status: 404 });
    }
    throw error;
  }
}
