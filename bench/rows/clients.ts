import { SDK } from './row.js';

/** A client under comparison: its module in bench/peers/programs/clients, and the package it comes from. */
export interface Client {
  readonly subject: string;
  readonly client: string;
  readonly needs?: string | undefined;
}

export const BARE_FETCH = 'bare fetch';
export const KY_SET_UP = 'ky, as a user sets it up';

export const sdk: Client = { subject: SDK, client: 'sdk' };
export const sdkUnvalidated: Client = { subject: `${SDK}, validation off`, client: 'sdk-off' };
export const bareFetch: Client = { subject: BARE_FETCH, client: 'bare' };
export const kySetUp: Client = { subject: KY_SET_UP, client: 'ky-set-up', needs: 'ky' };
export const openai: Client = { subject: 'openai', client: 'openai', needs: 'openai' };

/** The clients that anyone could use in place of this one. */
export const clients: readonly Client[] = [
  bareFetch,
  sdk,
  kySetUp,
  { subject: 'ky', client: 'ky', needs: 'ky' },
  { subject: 'openapi-fetch', client: 'openapi-fetch', needs: 'openapi-fetch' },
  openai,
  { subject: 'stripe', client: 'stripe', needs: 'stripe' },
  { subject: 'retell-sdk', client: 'retell', needs: 'retell-sdk' },
  { subject: '@vapi-ai/server-sdk', client: 'vapi', needs: '@vapi-ai/server-sdk' },
];
