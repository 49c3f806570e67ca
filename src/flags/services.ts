// The in-memory services of the flag service, created when the server starts.
import { createPayloadCache } from './delivery/payload-cache.ts';
import { ServiceAddresses } from './root/addresses.ts';

export function openFlagServices() {
  return { payloadCache: createPayloadCache(), serviceAddresses: new ServiceAddresses() };
}
