import { Webhooks } from '@octokit/webhooks';

export async function prepare(body, handler) {
  const webhooks = new Webhooks({ secret: 'bench-secret' });
  webhooks.on('issues', handler);
  const signature = await webhooks.sign(body);
  const event = { id: 'delivery_1', name: 'issues', signature, payload: body };
  return () => webhooks.verifyAndReceive(event);
}
