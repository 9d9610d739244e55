import type { Conversation, LeadCapturedPayload, OpenEnum, Tool } from 'agent-platform-sdk';
import { createFakePlatform, type DeepPartial, fixtures } from 'agent-platform-sdk/testing';
import { expectTypeOf } from 'vitest';

expectTypeOf(fixtures.tool()).toEqualTypeOf<Tool>();
expectTypeOf(fixtures.conversation()).toEqualTypeOf<Conversation>();
expectTypeOf(fixtures.event('lead_captured').payload).toEqualTypeOf<LeadCapturedPayload>();

fixtures.orgClient({ onboardingState: { personalInfo: { role: 'Sales' } }, status: 'online' });
// @ts-expect-error a misspelt field, deep inside
fixtures.orgClient({ onboardingState: { personalInfo: { roll: 'Sales' } } });
// @ts-expect-error a value that is not in a closed list
fixtures.orgClient({ status: 'away' });
// @ts-expect-error a field of another event
fixtures.event('lead_captured', { bugDescription: 'x' });
// @ts-expect-error an event that the document does not know
fixtures.event('lead_lost');

// A list is given whole: its elements are complete.
expectTypeOf<DeepPartial<Tool>['channels']>().toEqualTypeOf<OpenEnum<'web-chat'>[] | undefined>();
// An open list completes its known values and takes any other.
fixtures.conversation({ stage: 'won', state: 'requested_chat' });

const fake = createFakePlatform();
// @ts-expect-error a misspelt field of a record to add
fake.add.tool({ chanels: [] });
// @ts-expect-error the state is for inspection; `add` changes it
fake.state.eu.tools.set('x', { id: 'x' });
// @ts-expect-error a field of another event
void fake.webhooks.send('lead_captured', { bugDescription: 'x' });
void fake.webhooks.send('invoice_paid', { amount: 9 });
// @ts-expect-error a fault with the field of another
fake.faults.inject({ kind: 'reset', ms: 4 });
