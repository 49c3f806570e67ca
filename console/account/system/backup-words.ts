// The words about backups.
const KINDS: Record<string, string> = { backup: 'The backup', verify: 'The check' };

export const BACKUPS = {
  title: 'Backups',
  now: 'Back up now',
  busy: 'A backup is being made or checked.',
  waits: 'The server is paused after a restore: resume it first.',
  place: 'They are in',
  encrypted: ', encrypted.',
  plain: ', not encrypted and without the secret key.',
  every: (hours: number) =>
    hours === 0
      ? 'None is made by itself.'
      : hours % 24 === 0
        ? `One is made every ${hours === 24 ? 'day' : `${hours / 24} days`}.`
        : `One is made every ${hours === 1 ? 'hour' : `${hours} hours`}.`,
  next: 'The next:',
  kept: (days: number) =>
    days === 0 ? 'All are kept.' : `They are kept for ${days} days, and the newest for ever.`,
  settings:
    'The settings below say where, how often and how long: SIGNALBOX_BACKUPS, _BACKUP_HOURS, _BACKUP_DAYS.',
  sameDisk:
    'The backups are on the disk of the data: when that is lost, so are they. Name another place with SIGNALBOX_BACKUPS.',
  empty: 'No backups yet',
  emptyText: 'Make the first one now, or have one made every day with --backup-hours 24.',
  running: (kind: string, progress: string, size: string) =>
    `${KINDS[kind]} is under way: ${progress === '' ? 'it begins' : progress}, ${size} read.`,
  failed: (kind: string, error: string) => `${KINDS[kind]} has failed: ${error}`,
  done: (progress: string) => progress,
  rowsOnly: 'rows, before an upgrade',
  verify: 'Check',
  downloadOf: (time: string) => `Download the backup of ${time}`,
  columns: { made: 'Made', release: 'Release', rows: 'Rows', size: 'Size', actions: 'Actions' },
  paused: 'Paused after a restore.',
  pausedText: 'No schedule, run, webhook or planned change happens, since',
  resume: 'Resume',
  resumeTitle: 'Let this server go on?',
  resumeText:
    'Schedules fire, runs start and webhooks are sent again. If the server that was backed up still works, both would do that.',
} as const;
