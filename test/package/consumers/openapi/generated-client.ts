// A client that openapi-typescript generated from openapi.json, against the fake.
import { createFakePlatform, fixtures } from 'agent-platform-sdk/testing';
import createClient from 'openapi-fetch';
import type { paths, webhooks } from './schema.js';

const fake = createFakePlatform();
const {
  agentId,
  convoId,
  orgId,
  rentedNumberSid,
  secondWorkspaceId,
  secondWorkspaceSecret,
  toolId,
  workspaceSecret,
} = fake.seed.eu;
const client = createClient<paths>({
  baseUrl: `${fake.baseUrls.eu}/v3`,
  fetch: (request) => fake.fetch(request),
});
const headers = { authorization: `Bearer ${workspaceSecret}` };

const members = await client.GET('/orgs/{orgId}/members-and-teams', { headers, params: { path: { orgId } } });
const created = await client.POST('/agents/{agentId}/variables', {
  headers,
  params: { path: { agentId } },
  body: { variable: { key: 'plan', defaultValue: 'free' } },
});
const duplicate = await client.POST('/agents/{agentId}/variables', {
  headers,
  params: { path: { agentId } },
  body: { variable: { key: 'plan' } },
});
const released = await client.POST('/utils/telco/release-number', {
  headers,
  body: { phoneNumberSid: rentedNumberSid, isImportedNumber: false },
});
const catalogue = await client.GET('/tools/defaults', { headers });
const tool = await client.GET('/tools/{toolId}', { headers, params: { path: { toolId } } });
const conversation = await client.GET('/agents/{agentId}/convos/{convoId}', {
  headers,
  params: { path: { agentId, convoId } },
});
const deleted = await client.DELETE('/workspaces/{id}', {
  headers: { authorization: `Bearer ${secondWorkspaceSecret}` },
  params: { path: { id: secondWorkspaceId } },
});

// The types are those of the document.
const status: 'online' | 'offline' | undefined = members.data?.clients[0]?.status;
const id: string | undefined = created.data?.data.id;
const refusal: { message: string; code: string } | undefined = duplicate.error;
const isReleased: boolean | undefined = released.data?.isGood;
const name: string | undefined = tool.data?.data.name;
const turns: number | undefined = conversation.data?.data.messagesNum;
const hasSucceeded: boolean | undefined = deleted.data?.success;
type LeadDelivery = webhooks['lead_captured']['post']['requestBody']['content']['application/json'];
const delivery: LeadDelivery = fixtures.delivery('lead_captured', workspaceSecret);

console.log(
  JSON.stringify([
    status,
    id !== undefined,
    refusal?.code,
    isReleased,
    (catalogue.data?.data.length ?? 0) > 0,
    name,
    turns !== undefined,
    hasSucceeded,
    delivery.type,
  ]),
);
