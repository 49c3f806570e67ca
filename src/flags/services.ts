// The in-memory services of the flag service, created when the server starts.
import type { Kernel } from '../kernel/kernel.ts';
import { Feeds } from './delivery/feeds.ts';
import { SdkStreams, type StreamLimits } from './delivery/sdk-streams.ts';
import { openFlagEvents } from './events/receive.ts';
import { ServiceAddresses } from './root/addresses.ts';

export interface FlagServiceLimits {
  streams: StreamLimits;
  eventsPerSecond: number | undefined;
}

export async function openFlagServices(
  kernel: Pick<Kernel, 'engine' | 'clock' | 'log' | 'metrics'>,
  { streams, eventsPerSecond }: FlagServiceLimits,
) {
  return {
    feeds: await new Feeds(kernel.engine, kernel.log).listen(),
    sdkStreams: new SdkStreams(streams, kernel),
    serviceAddresses: new ServiceAddresses(),
    flagEvents: openFlagEvents(kernel, eventsPerSecond),
  };
}
