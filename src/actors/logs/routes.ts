// The route of logs by the id of their build or run.
import { route, type Route } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { LOG_ACCESS, LogQuery, PUBLIC_LOGS, serveLog } from './serve-log.ts';

const getLog = route(
  {
    id: 'log_get',
    method: 'GET',
    path: '/logs/{buildOrRunId}',
    summary: 'Get the log of a build or run',
    description:
      'Each line begins with the time at which it was printed. Of a long log, the middle is left out, and a line says so. ' +
      PUBLIC_LOGS,
    access: LOG_ACCESS,
    params: Type.Object({ buildOrRunId: Type.String() }),
    query: LogQuery,
    produces: 'text/plain; charset=utf-8',
    reply: { 200: Type.String() },
  },
  (call, kernel) => serveLog(call, kernel, call.params.buildOrRunId),
);

export const logRoutes: Route[] = [getLog] as Route[];
