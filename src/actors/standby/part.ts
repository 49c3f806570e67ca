// Standby mode: programs that are started by requests and answer them.
import type { Part } from '../../kernel/part.ts';
import { containerRoute, standbyRoute } from './routes.ts';

export const standbyPart: Part = {
  rawRoutes: [standbyRoute, containerRoute],
  endStreams: ({ services }) => services.standby.close(),
};
