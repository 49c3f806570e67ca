// The CPU time of a PostgreSQL on this machine: all its processes, those of ended connections too.
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { cpuMsOfFamily } from './cpu.ts';

/** The process that starts those of the connections. */
export async function postmasterOf(url: string): Promise<number> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${rows[0]!.pid}/status`, 'utf8'))![1]);
  } finally {
    await client.end();
  }
}

/** Of the work, in milliseconds. */
export async function postgresCpuOf<T>(
  postmaster: number,
  work: () => Promise<T>,
): Promise<{ result: T; cpuMs: number }> {
  const before = cpuMsOfFamily(postmaster);
  const result = await work();
  return { result, cpuMs: cpuMsOfFamily(postmaster) - before };
}
