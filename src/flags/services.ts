// The in-memory services of the flag service, created when the server starts.
import type { Kernel } from '../kernel/kernel.ts';
import { Feeds } from './delivery/feed/feeds.ts';
import { KeptEvaluations } from './delivery/kept-evaluations.ts';
import { SdkStreams, type StreamLimits } from './delivery/sdk-streams.ts';
import { openFlagEvents } from './events/receive.ts';
import { RelayStreams } from './relay-proxy-configs/relay-streams.ts';
import { SdkActivity } from './sdk-activity/sdk-activity.ts';
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
    keptEvaluations: new KeptEvaluations(),
    sdkStreams: new SdkStreams(streams, kernel),
    relayStreams: await new RelayStreams(kernel, streams.heartbeatSeconds).listen(),
    serviceAddresses: new ServiceAddresses(),
    sdkActivity: new SdkActivity(kernel),
    flagEvents: openFlagEvents(kernel, eventsPerSecond),
  };
}
