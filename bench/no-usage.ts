// Loaded before a server whose calls are not to be counted for the upgrade report.
import { VersionUsage } from '../src/kernel/version-usage/version-usage.ts';

VersionUsage.prototype.of = () => undefined;
