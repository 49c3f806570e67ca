// Prices of an Actor. Nobody pays here: programs ask for them to know which events they count.
import { Nullable, OneOf, PlainText, Type, type Static } from '../../kernel/schema/schema.ts';

const PRICING_MODELS = ['FREE', 'FLAT_PRICE_PER_MONTH', 'PRICE_PER_DATASET_ITEM', 'PAY_PER_EVENT'] as const;

const Text = (maxLength: number) => Type.Optional(Nullable(PlainText({ maxLength })));
const Price = Type.Optional(Nullable(Type.Number({ minimum: 0 })));

const ChargeEvent = Type.Object({
  eventTitle: Text(200),
  eventDescription: Text(2000),
  eventPriceUsd: Price,
  isOneTimeEvent: Type.Optional(Nullable(Type.Boolean())),
  isPrimaryEvent: Type.Optional(Nullable(Type.Boolean())),
});

export const PricingInfo = Type.Object(
  {
    pricingModel: OneOf(PRICING_MODELS),
    startedAt: Type.Optional(
      Nullable(Type.String({ format: 'date-time', description: 'Since always, if absent' })),
    ),
    createdAt: Type.Optional(Nullable(Type.String({ format: 'date-time' }))),
    apifyMarginPercentage: Price,
    reasonForChange: Text(2000),
    trialMinutes: Price,
    pricePerUnitUsd: Price,
    unitName: Text(200),
    minimalMaxTotalChargeUsd: Price,
    pricingPerEvent: Type.Optional(
      Nullable(
        Type.Object({
          actorChargeEvents: Type.Record(Type.String(), ChargeEvent, { maxProperties: 100 }),
        }),
      ),
    ),
  },
  { $id: 'ActorPricingInfo' },
);
export type ActorPricing = Static<typeof PricingInfo>;
