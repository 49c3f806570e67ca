// The heading of events, stars and watches in the description of the API.
import type { Tag } from '../kernel/http/module.ts';

export const ACTIVITY_TAG: Tag = { name: 'activity', description: 'Events, stars and watched repositories' };
