// The newer delivery protocol: polls and streams that go on from what an SDK already has, on each engine.
import { onEachEngine } from '../../../engines.ts';
import type { TestServer } from '../../../server.ts';
import { onServer } from '../../../suites.ts';
import { openProject, type KeyProject } from './keys-calls.ts';
import { transferCalls } from './newer-protocol-calls.ts';
import { testClientTransfers } from './newer-protocol-clients.ts';
import { testServerTransfers } from './newer-protocol-servers.ts';

onEachEngine((engine) => {
  let server: TestServer;
  let home: KeyProject;
  onServer(engine, { limits: 'off', streamHeartbeat: 1 }, async (started) => {
    server = started;
    home = await openProject(server);
  });
  const setup = () => ({ server, home });
  const calls = transferCalls(setup);
  testServerTransfers(setup, calls);
  testClientTransfers(setup, calls);
});
