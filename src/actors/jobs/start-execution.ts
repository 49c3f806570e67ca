// Makes this server a node that executes builds and runs.
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Api } from '../../kernel/http/protocol.ts';
import type { StopReason } from '../../kernel/jobs/due-worker.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { lockFolder } from '../../kernel/storage/disk/folder-lock.ts';
import { PRIVATE_FILE } from '../../kernel/storage/disk/private-files.ts';
import { executeBuild } from '../builds/execution/execute-build.ts';
import { startSweeping } from '../builds/execution/build-folders.ts';
import { recoverLogs } from '../logs/recover-logs.ts';
import { removeBridgeSockets } from '../runner/program-sockets.ts';
import { removeTree } from '../runner/remove-tree.ts';
import { executeRun, RUN_FOLDERS } from '../runs/execute-run.ts';
import { RunEvents, openRunListener, type RunListener } from '../runs/run-listener.ts';
import { announceNode, withdrawNode } from '../standby/nodes.ts';
import { startJobWorker } from './job-worker.ts';

/**
 * Programs that a crashed server left on this machine are killed, and what they wrote is stored, before anything is claimed. The
 * lock makes sure that the earlier server is dead.
 */
export async function startExecution(
  kernel: Kernel,
  api: Api,
): Promise<{ stop(reason?: StopReason): Promise<void> }> {
  const { engine, clock, log, services, settings } = kernel;
  const { work, nodeMemoryMbytes, nodeRuns } = settings.execution;
  const lock = await lockFolder(work, {
    onWait: (holder) => log.info({ holder }, 'waiting for another server on this work folder to stop'),
  });
  try {
    await services.runner.killLeftovers();
    await recoverLogs(kernel);
    await removeDeadRuns(kernel);
    removeBridgeSockets(work);
    const sweeping = startSweeping(kernel);
    const events = new RunEvents();
    // Mounting the routes takes a while, and many servers never run anything.
    let listener: Promise<RunListener> | undefined;
    const node = { events, listener: () => (listener ??= openRunListener(kernel, api, events)) };
    const name = nodeName(work);
    await announceNode(kernel, name);
    services.thisNode.begin(name);
    const worker = await startJobWorker({
      engine,
      clock,
      log,
      handlers: {
        build: (job, context) => executeBuild(kernel, job, context),
        run: (job, context) => executeRun(kernel, node, job, context),
      },
      node: name,
      memoryMbytes: nodeMemoryMbytes,
      slots: nodeRuns,
      hasRoom: () => kernel.disk.hasRoomToStart('work') && kernel.disk.hasRoomToStart('data'),
    });
    return {
      async stop(reason) {
        await worker.stop(reason);
        services.thisNode.end();
        await withdrawNode(kernel, name);
        await sweeping.stop();
        await (await listener)?.close();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/**
 * The working folders of runs whose server died: every process gets a new one, and a run may go on elsewhere or be aborted. They
 * are moved away first, as runs may start again while the old ones are deleted.
 */
async function removeDeadRuns({ settings, log }: Kernel): Promise<void> {
  const { work } = settings.execution;
  await rename(join(work, RUN_FOLDERS), join(work, `${RUN_FOLDERS}.removed-${randomUUID()}`)).catch(() => {});
  const removed = (await readdir(work)).filter((name) => name.startsWith(`${RUN_FOLDERS}.removed-`));
  for (const name of removed) {
    void removeTree(join(work, name)).catch((error: unknown) => {
      log.warn({ err: error, folder: name }, 'cannot remove the folders of dead runs');
    });
  }
}

/** A name that stays the same when the server is started again on the same work folder. */
function nodeName(work: string): string {
  const file = join(work, 'node');
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    const name = randomUUID();
    writeFileSync(file, `${name}\n`, { mode: PRIVATE_FILE });
    return name;
  }
}
