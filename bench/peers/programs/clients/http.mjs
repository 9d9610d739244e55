// Node's own HTTP, which no other runtime has.
import { Agent, get } from 'node:http';

export function connect(baseUrl) {
  const agent = new Agent({ keepAlive: true });
  const headers = { accept: 'application/json', authorization: 'Bearer bench-token' };
  return async () => {
    const { data } = JSON.parse(await read(`${baseUrl}/v3/tools/tool_1`, { agent, headers }));
    return data;
  };
}

function read(url, options) {
  return new Promise((resolve, reject) => {
    const request = get(url, options, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve(text));
      response.on('error', reject);
    });
    request.on('error', reject);
  });
}
