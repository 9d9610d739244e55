import { Agent, request } from 'node:http';
import { SECRET } from './role.js';

/** Deliveries on their way at once. */
const PARALLEL = 64;
/** A turn of a conversation of about 250 bytes. */
const TURN = { role: 'user', text: 'I would like to move my appointment. '.repeat(5), ts: 1_760_000_000_000 };

const agent = new Agent({ keepAlive: true, maxSockets: PARALLEL });

/** Events delivered so far: no two may be alike, or they would be taken for copies. */
let delivered = 0;

/** Delivers so many events of so many bytes, and resolves when each was answered 200. */
export async function deliver(ports: readonly number[], count: number, bytes: number): Promise<void> {
  const body = bodyOf(bytes);
  const end = delivered + count;
  const deliverOn = async () => {
    while (delivered < end) {
      const index = delivered;
      delivered += 1;
      await post(ports[index % ports.length] ?? 0, body(index));
    }
  };
  await Promise.all(Array.from({ length: Math.min(PARALLEL, count) }, deliverOn));
}

/** The body is made once: the bench is to measure the receivers, not this. */
function bodyOf(bytes: number): (index: number) => string {
  const turns = Array.from({ length: Math.max(Math.round(bytes / 250) - 1, 1) }, () => TURN);
  const text = JSON.stringify({
    type: 'conversation_updated',
    payload: {
      agentId: 'agent_1',
      convoId: 'NAME',
      createdAt: 1_760_000_000_000,
      lightConvoData: {},
      turns,
      operation: 'updated',
      workspaceSecret: SECRET,
    },
  });
  const [head = '', tail = ''] = text.split('NAME');
  return (index) => `${head}convo_${index}${tail}`;
}

function post(port: number, body: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request({ port, host: '127.0.0.1', method: 'POST', agent }, (response) => {
      response.resume().on('end', () => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(`answered ${response.statusCode}`));
      });
    });
    sent.on('error', reject).end(body);
  });
}
