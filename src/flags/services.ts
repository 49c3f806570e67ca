// What the flag service keeps in memory for one server, made when it starts.
import { openDeliveries } from './delivery/deliveries.ts';
import { ServiceAddresses } from './root/addresses.ts';

export function openFlagServices() {
  return { deliveries: openDeliveries(), serviceAddresses: new ServiceAddresses() };
}
