// What tests of Actors with a network of their own need.
import { tryIsolation, findNetworkShortfall } from '../src/actors/runner/isolation/isolation.ts';

const isolation = await tryIsolation();

/** The reason to skip them, or false. */
export const needsNetwork =
  (isolation.kind !== 'bubblewrap' && 'needs bwrap') ||
  ((await findNetworkShortfall(isolation)) !== undefined && 'needs slirp4netns');
