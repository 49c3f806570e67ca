// What the flag service keeps in memory for one server, made when it starts.
import { createPayloadCache } from './delivery/payload-cache.ts';
import { ServiceAddresses } from './root/addresses.ts';

export function openFlagServices() {
  return { payloadCache: createPayloadCache(), serviceAddresses: new ServiceAddresses() };
}
