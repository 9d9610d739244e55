// The suite inside a worker: asked for by a request that says where the fake listens.
import * as sdk from 'agent-platform-sdk';
import * as testing from 'agent-platform-sdk/testing';
import { runFarFromFake } from './index.mjs';

export default {
  async fetch(request) {
    return Response.json(await runFarFromFake({ sdk, testing, ...(await request.json()) }));
  },
};
