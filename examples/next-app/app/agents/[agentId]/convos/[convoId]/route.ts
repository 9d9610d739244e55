// GET /agents/{agentId}/convos/{convoId}: what your front end may see of a conversation. The token stays here.
import { NotFoundError, PermissionDeniedError } from 'agent-platform-sdk';
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
    if (error instanceof NotFoundError || error instanceof PermissionDeniedError) {
      return Response.json({ error: 'not found' }, { status: 404 });
    }
    throw error;
  }
}
