// The worker thread that measures disk space: on a slow disk each file may take milliseconds.
import { parentPort } from 'node:worker_threads';
import { readDiskUsage, type DiskQuery } from './disk-usage.ts';

parentPort!.on('message', (query: DiskQuery) => parentPort!.postMessage(readDiskUsage(query)));
