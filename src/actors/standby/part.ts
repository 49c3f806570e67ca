// Standby mode: programs that are started by requests and answer them.
import type { Part } from '../../kernel/module.ts';
import { startAnnouncing } from './nodes.ts';
import { containerRoute, standbyRoute } from './routes.ts';

export const standbyPart: Part = {
  rawRoutes: [standbyRoute, containerRoute],
  start: (kernel) => Promise.resolve(startAnnouncing(kernel)),
  endStreams: ({ services }) => services.standby.close(),
};
