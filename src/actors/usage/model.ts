// The monthly usage and the limits of an account; nothing has a price.
import { problem, Type, type Static } from '../../kernel/schema/schema.ts';

/** The services that are counted, by the platform's names. */
export const SERVICES = [
  'DATASET_READS',
  'DATASET_WRITES',
  'KEY_VALUE_STORE_READS',
  'KEY_VALUE_STORE_WRITES',
  'KEY_VALUE_STORE_LISTS',
  'REQUEST_QUEUE_READS',
  'REQUEST_QUEUE_WRITES',
  'DATA_TRANSFER_EXTERNAL_GBYTES',
] as const;
export type Service = (typeof SERVICES)[number];

/** Counted in bytes, shown in gigabytes. */
const TRANSFER: Service = 'DATA_TRANSFER_EXTERNAL_GBYTES';
const GIGABYTE = 1e9;

export const DAY = 24 * 60 * 60 * 1000;

const DateTime = Type.String({ format: 'date-time' });
const Cycle = Type.Object({ startAt: DateTime, endAt: DateTime });
const DailyItem = Type.Object({ quantity: Type.Number(), baseAmountUsd: Type.Number() });

export const MonthlyUsage = Type.Object(
  {
    usageCycle: Cycle,
    monthlyServiceUsage: Type.Record(
      Type.String(),
      Type.Object({
        ...DailyItem.properties,
        baseUnitPriceUsd: Type.Number(),
        amountAfterVolumeDiscountUsd: Type.Number(),
        priceTiers: Type.Array(Type.Unknown()),
      }),
    ),
    dailyServiceUsages: Type.Array(
      Type.Object({
        date: DateTime,
        serviceUsage: Type.Record(Type.String(), DailyItem),
        totalUsageCreditsUsd: Type.Number(),
      }),
    ),
    totalUsageCreditsUsdBeforeVolumeDiscount: Type.Number(),
    totalUsageCreditsUsdAfterVolumeDiscount: Type.Number(),
  },
  { $id: 'MonthlyUsage' },
);

/** A calendar month, in UTC. */
export interface UsageCycle {
  start: number;
  /** The first moment of the next one. */
  end: number;
}

export function cycleOf(time: number): UsageCycle {
  const date = new Date(time);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return { start: Date.UTC(year, month), end: Date.UTC(year, month + 1) };
}

/** The time at the beginning of the day. */
export function readDate(text: string): number {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  // `Date.parse` may read 31 February as a day in March.
  if (Number.isNaN(time) || !new Date(time).toISOString().startsWith(text)) {
    throw problem('query.date', 'must be a date in the form YYYY-MM-DD');
  }
  return time;
}

export interface DailyUsage {
  day: number;
  service: string;
  quantity: number;
}

/** Nothing has a price here: amounts are zero. */
export function toMonthlyUsage(cycle: UsageCycle, rows: DailyUsage[]): Static<typeof MonthlyUsage> {
  const monthly = SERVICES.map((service) => {
    const quantity = quantityOf(service, rows);
    const prices = { baseUnitPriceUsd: 0, amountAfterVolumeDiscountUsd: 0, priceTiers: [] };
    return [service, { quantity, baseAmountUsd: 0, ...prices }] as const;
  });
  const days = Map.groupBy(rows, ({ day }) => day);
  return {
    usageCycle: toCycle(cycle),
    monthlyServiceUsage: Object.fromEntries(monthly),
    dailyServiceUsages: [...days].map(([day, used]) => ({
      date: new Date(day).toISOString(),
      serviceUsage: Object.fromEntries(
        SERVICES.map((service) => [service, { quantity: quantityOf(service, used), baseAmountUsd: 0 }]),
      ),
      totalUsageCreditsUsd: 0,
    })),
    totalUsageCreditsUsdBeforeVolumeDiscount: 0,
    totalUsageCreditsUsdAfterVolumeDiscount: 0,
  };
}

function quantityOf(service: Service, rows: DailyUsage[]): number {
  let quantity = 0;
  for (const row of rows) if (row.service === service) quantity += row.quantity;
  return service === TRANSFER ? quantity / GIGABYTE : quantity;
}

function toCycle({ start, end }: UsageCycle): Static<typeof Cycle> {
  return { startAt: new Date(start).toISOString(), endAt: new Date(end - 1).toISOString() };
}

const Amounts = <const Name extends string>(names: readonly Name[]) =>
  Type.Object(
    Object.fromEntries(names.map((name) => [name, Type.Number()])) as Record<
      Name,
      ReturnType<typeof Type.Number>
    >,
  );

export const AccountLimits = Type.Object(
  {
    monthlyUsageCycle: Cycle,
    limits: Amounts([
      'maxMonthlyUsageUsd',
      'maxMonthlyActorComputeUnits',
      'maxMonthlyExternalDataTransferGbytes',
      'maxMonthlyProxySerps',
      'maxMonthlyResidentialProxyGbytes',
      'maxActorMemoryGbytes',
      'maxActorCount',
      'maxActorTaskCount',
      'maxConcurrentActorJobs',
      'maxScheduleCount',
      'maxTeamAccountSeatCount',
      'dataRetentionDays',
    ]),
    current: Amounts([
      'monthlyUsageUsd',
      'monthlyActorComputeUnits',
      'monthlyExternalDataTransferGbytes',
      'monthlyProxySerps',
      'monthlyResidentialProxyGbytes',
      'actorMemoryGbytes',
      'actorCount',
      'actorTaskCount',
      'activeActorJobCount',
      'scheduleCount',
      'teamAccountSeatCount',
    ]),
  },
  { $id: 'AccountLimits' },
);

export const LimitsUpdate = Type.Object(
  {
    maxMonthlyUsageUsd: Type.Optional(Type.Number({ minimum: 0 })),
    dataRetentionDays: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 36_500,
        description: 'How many days unnamed storages are kept after their last use',
      }),
    ),
  },
  { $id: 'UpdateLimitsRequest' },
);
export type LimitsUpdate = Static<typeof LimitsUpdate>;

/** Shown where there is no limit, because clients expect a number. */
export const NO_LIMIT = 999_999_999_999;

export interface OwnLimits {
  maxMonthlyUsageUsd: number | null;
  dataRetentionDays: number;
  maxActors: number;
  maxTasks: number;
  maxSchedules: number;
  /** Of all unfinished runs together. */
  maxRuns: number;
  maxMemoryMbytes: number;
}

/** What an account has now. */
export interface CurrentCounts {
  actors: number;
  tasks: number;
  schedules: number;
  unfinishedRuns: number;
  memoryMbytes: number;
}

const MBYTES_IN_GBYTE = 1024;

/** An account has one seat. There are no proxies, so those limits are zero. */
export function toAccountLimits(
  cycle: UsageCycle,
  rows: DailyUsage[],
  own: OwnLimits,
  { actors, tasks, schedules, unfinishedRuns, memoryMbytes }: CurrentCounts,
): Static<typeof AccountLimits> {
  return {
    monthlyUsageCycle: toCycle(cycle),
    limits: {
      maxMonthlyUsageUsd: own.maxMonthlyUsageUsd ?? NO_LIMIT,
      maxMonthlyActorComputeUnits: NO_LIMIT,
      maxMonthlyExternalDataTransferGbytes: NO_LIMIT,
      maxMonthlyProxySerps: 0,
      maxMonthlyResidentialProxyGbytes: 0,
      maxActorMemoryGbytes: own.maxMemoryMbytes / MBYTES_IN_GBYTE,
      maxActorCount: own.maxActors,
      maxActorTaskCount: own.maxTasks,
      maxConcurrentActorJobs: own.maxRuns,
      maxScheduleCount: own.maxSchedules,
      maxTeamAccountSeatCount: 1,
      dataRetentionDays: own.dataRetentionDays,
    },
    current: {
      monthlyUsageUsd: 0,
      monthlyActorComputeUnits: 0,
      monthlyExternalDataTransferGbytes: quantityOf(TRANSFER, rows),
      monthlyProxySerps: 0,
      monthlyResidentialProxyGbytes: 0,
      actorMemoryGbytes: memoryMbytes / MBYTES_IN_GBYTE,
      actorCount: actors,
      actorTaskCount: tasks,
      activeActorJobCount: unfinishedRuns,
      scheduleCount: schedules,
      teamAccountSeatCount: 1,
    },
  };
}
