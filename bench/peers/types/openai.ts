import OpenAI, { NotFoundError, RateLimitError } from 'openai';

const client = new OpenAI({ apiKey: 'token', webhookSecret: 'secret', maxRetries: 3, timeout: 20_000 });

export async function findModel(id: string): Promise<OpenAI.Model | undefined> {
  try {
    return await client.models.retrieve(id, { timeout: 5_000 });
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    if (error instanceof RateLimitError) console.warn(error.headers?.get('retry-after'));
    throw error;
  }
}

export async function ask(question: string): Promise<string | null> {
  const completion = await client.chat.completions.create({
    model: 'gpt-5',
    messages: [{ role: 'user', content: question }],
  });
  return completion.choices[0]?.message.content ?? null;
}

export async function summarize(completionId: string): Promise<string> {
  const { data, response } = await client.chat.completions.retrieve(completionId).withResponse();
  return `${data.model}: ${data.choices[0]?.message.content} (${response.status})`;
}

export async function receive(body: string, headers: Headers): Promise<void> {
  const event = await client.webhooks.unwrap(body, headers);
  if (event.type === 'response.completed') console.log(event.data.id);
}
