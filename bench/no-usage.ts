// Loaded before a server: leaves calls that ask for some media types uncounted for the upgrade report, the others counted.
import { VersionUsage } from '../src/kernel/version-usage/version-usage.ts';

const uncounted = new Set(process.env['UNCOUNTED']?.split(' '));
const counted = VersionUsage.prototype.of;
VersionUsage.prototype.of = function (dialect, shape, asked) {
  return uncounted.has(asked.variant ?? 'v3') ? undefined : counted.call(this, dialect, shape, asked);
};
