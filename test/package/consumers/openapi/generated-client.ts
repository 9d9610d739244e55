// A client that openapi-typescript generated from openapi.json, against the fake. It compiles, so the types are those of
// the document.
import { createFakePlatform, fixtures } from 'agent-platform-sdk/testing';
import createClient from 'openapi-fetch';
import type { paths, webhooks } from './schema.js';

const fake = createFakePlatform();
const { agentId, orgId, secondWorkspaceId, secondWorkspaceSecret, toolId, workspaceSecret } = fake.seed.eu;
const client = createClient<paths>({
  baseUrl: `${fake.baseUrls.eu}/v3`,
  fetch: (request) => fake.fetch(request),
});
const headers = { authorization: `Bearer ${workspaceSecret}` };

const members = await client.GET('/orgs/{orgId}/members-and-teams', { headers, params: { path: { orgId } } });
const create = () =>
  client.POST('/agents/{agentId}/variables', {
    headers,
    params: { path: { agentId } },
    body: { variable: { key: 'plan', defaultValue: 'free' } },
  });
await create();
const duplicate = await create();
const tool = await client.GET('/tools/{toolId}', { headers, params: { path: { toolId } } });
const deleted = await client.DELETE('/workspaces/{id}', {
  headers: { authorization: `Bearer ${secondWorkspaceSecret}` },
  params: { path: { id: secondWorkspaceId } },
});

const status: 'online' | 'offline' | undefined = members.data?.clients[0]?.status;
const refusal: { message: string; code: string } | undefined = duplicate.error;
const name: string | undefined = tool.data?.data.name;
const hasSucceeded: boolean | undefined = deleted.data?.success;
type LeadDelivery = webhooks['lead_captured']['post']['requestBody']['content']['application/json'];
const delivery: LeadDelivery = fixtures.delivery('lead_captured', workspaceSecret);

console.log(JSON.stringify([status, refusal?.code, name, hasSucceeded, delivery.type]));
