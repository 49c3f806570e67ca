// A module that Node programs of runs load first: their web server is for this machine's proxy alone.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server } from 'node:net';
import type { Duplex } from 'node:stream';

export interface GuardNames {
  header: string;
  secret: string;
  port: string;
}

/**
 * Written to a file as text, so that it uses nothing from outside. Programs that listen on the run's port listen on loopback
 * only, and requests without the secret of the run are refused: every other program of this machine can connect to loopback.
 */
function guard(net: { Server: { prototype: Server } }, env: NodeJS.ProcessEnv, names: GuardNames): void {
  const { header } = names;
  const [secret, port] = [env[names.secret], Number(env[names.port])];
  if (secret === undefined || !(port > 0)) return;

  const isAllowed = (request: IncomingMessage): boolean => {
    const isKnown = request.headers[header] === secret;
    delete request.headers[header];
    const raw = request.rawHeaders;
    for (let index = raw.length - 2; index >= 0; index -= 2)
      if (raw[index]!.toLowerCase() === header) raw.splice(index, 2);
    return isKnown;
  };
  const refusal = 'This port answers the proxy of its server only.\n';
  const protect = (server: EventEmitter): void => {
    const emit = server.emit.bind(server);
    server.emit = (name: string | symbol, ...args: unknown[]): boolean => {
      const [request, answer] = args as [IncomingMessage, ServerResponse | Duplex];
      switch (name) {
        case 'request':
        case 'checkContinue':
        case 'checkExpectation':
          if (isAllowed(request)) break;
          (answer as ServerResponse).writeHead(403, { connection: 'close', 'content-type': 'text/plain' });
          answer.end(refusal);
          return true;
        case 'upgrade':
        case 'connect':
          if (isAllowed(request)) break;
          (answer as Duplex).end(`HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n${refusal}`);
          return true;
        default:
      }
      return emit(name, ...args);
    };
  };

  const listen = net.Server.prototype.listen as (this: Server, ...args: unknown[]) => Server;
  net.Server.prototype.listen = function guarded(this: Server, ...args: unknown[]): Server {
    const [first] = args;
    const options =
      typeof first === 'object' && first !== null ? (first as { port?: unknown; host?: string }) : undefined;
    if (Number(options === undefined ? first : options.port) !== port) return listen.apply(this, args);
    protect(this);
    if (options !== undefined) return listen.call(this, { ...options, host: '127.0.0.1' }, ...args.slice(1));
    const rest = args.slice(1).filter((arg) => typeof arg === 'function' || typeof arg === 'number');
    return listen.call(this, first, '127.0.0.1', ...rest);
  } as Server['listen'];
}

/** Returns the file, which every user of this machine can read. */
export function writeGuard(work: string, names: GuardNames): string {
  const folder = join(work, 'sandbox');
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const file = join(folder, 'web-guard.cjs');
  writeFileSync(
    file,
    `(${guard.toString()})(require('node:net'), process.env, ${JSON.stringify(names)});\n`,
    {
      mode: 0o644,
    },
  );
  return file;
}
