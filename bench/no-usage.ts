// Loaded before a server: leaves calls that ask for one media type uncounted for the upgrade report.
import { VersionUsage } from '../src/kernel/versions/usage/version-usage.ts';

const counted = VersionUsage.prototype.of;
VersionUsage.prototype.of = function (protocol, shape, asked) {
  const isCounted = (asked.variant ?? 'v3') !== process.env['UNCOUNTED'];
  return isCounted ? counted.call(this, protocol, shape, asked) : undefined;
};
