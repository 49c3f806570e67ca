// The in-memory services of the flag service, created when the server starts.
import type { Kernel } from '../kernel/kernel.ts';
import { createPayloadCache } from './delivery/payload-cache.ts';
import { openFlagEvents } from './events/receive.ts';
import { ServiceAddresses } from './root/addresses.ts';

export function openFlagServices(
  kernel: Pick<Kernel, 'engine' | 'clock' | 'log' | 'metrics'>,
  { eventsPerSecond }: { eventsPerSecond: number | undefined },
) {
  return {
    payloadCache: createPayloadCache(),
    serviceAddresses: new ServiceAddresses(),
    flagEvents: openFlagEvents(kernel, eventsPerSecond),
  };
}
