// The places where users look. Each named comment marks one: what the editor is asked about stands right after it.
import { AgentPlatform, type Assignee, createWebhookReceiver, parseWebhook } from 'agent-platform-sdk';
import { createFakePlatform } from 'agent-platform-sdk/testing';

const platform = new AgentPlatform({ /*option*/ region: /*region*/ 'eu', token: 'a-token-of-tests' });

export const called = platform.tools./*method*/ get('tool');
export const resource = platform./*resource*/ tools;

const tool = await called;
export const field = tool./*field*/ name;

const conversation = await platform.conversations.get({ agentId: 'agent', convoId: 'convo' });
export const longField = conversation./*long field*/ userID;
export const isKnown = conversation.state === /*open value*/ 'requested_chat';

declare const assignee: Assignee;
export const isPending = assignee.status === /*assignee*/ 'pending';

const event = parseWebhook('{}', { secret: 'a-secret' });
export const isLead = event.type === /*event type*/ 'lead_captured';
if (event.type === 'bug_reported') console.log(event.payload./*payload of a type*/ bugDescription);

export const receiver = createWebhookReceiver({ secret: 'a-secret' })./*receiver*/ on(
  'lead_captured',
  (/*argument*/ lead) => lead.payload./*payload*/ leadEmail,
);

// @ts-expect-error It is still being written.
receiver.on(/*handled type*/ '');

export const fake = /*fake*/ createFakePlatform();
