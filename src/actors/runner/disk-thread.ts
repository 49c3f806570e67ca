// The worker thread that measures disk space: on a slow disk each file may take milliseconds.
import { serveTasks } from '../../kernel/threads/serve-tasks.ts';
import { readDiskUsage, type DiskQuery, type DiskUsage } from './disk-usage.ts';

serveTasks<DiskQuery, DiskUsage>((query, port) => port.send(readDiskUsage(query)));
