/**
 * Instants in words: the one way a time is written in prompts, notices and closing lines.
 *
 * Today (in that time zone) is the time of day alone, `14:03`; another day adds the date, `2 Dec 14:03`; another year the year.
 * The zone's short name is added on request, `16:03 CET`: the line of a prompt that says until when names it (also UTC), so that
 * people in other zones are not misled; notices and closing lines beside it leave it out.
 */

/** `timezone`: an IANA name from the config. `language`: a BCP 47 tag. `nowMs`: decides what "today" is. */
export type TimeFormat = { readonly timezone: string; readonly language: string; readonly nowMs: number; readonly zone?: boolean };

/** English as most of the world writes it: day before month, 24 hours. Other tags are taken as they are. */
const localeOf = (language: string): string => (language === "en" ? "en-GB" : language);

/** Making a formatter costs far more than using it; the keys come from the config and so are few. */
const formatters = new Map<string, Intl.DateTimeFormat>();

/**
 * Writes an instant for people.
 * @param ms  Milliseconds since 1970, UTC.
 * @param format.zone  Adds the zone's short name; default false.
 * @throws {RangeError} for a time zone or language that does not exist: the config is checked for both at start.
 */
export function formatTime(ms: number, { timezone, language, nowMs, zone = false }: TimeFormat): string {
  const locale = localeOf(language);
  const time = formatter(locale, { timeZone: timezone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(ms);
  const day = dayWords(ms, { locale, timezone, nowMs });
  return [day, time, zone ? zoneName(ms, { locale, timezone }) : ""].filter((part) => part !== "").join(" ");
}

function dayWords(ms: number, { locale, timezone, nowMs }: { locale: string; timezone: string; nowMs: number }): string {
  // The Swedish form is year-month-day, so that two days compare as text.
  const calendar = formatter("sv-SE", { timeZone: timezone, year: "numeric", month: "2-digit", day: "2-digit" });
  const day = calendar.format(ms);
  const today = calendar.format(nowMs);
  if (day === today) return "";
  const sameYear = day.slice(0, 4) === today.slice(0, 4);
  return formatter(locale, { timeZone: timezone, day: "numeric", month: "short", ...(sameYear ? {} : { year: "numeric" }) }).format(ms);
}

/** `CET`, `EST`, `UTC`; `GMT+4` where neither the language nor American English has a short name. */
function zoneName(ms: number, { locale, timezone }: { locale: string; timezone: string }): string {
  const [own, american] = [locale, "en-US"].map((candidate) => {
    const parts = formatter(candidate, { timeZone: timezone, hour: "2-digit", timeZoneName: "short" }).formatToParts(ms);
    return parts.find(({ type }) => type === "timeZoneName")?.value ?? "";
  });
  return (own ?? "").startsWith("GMT") && american !== undefined && !american.startsWith("GMT") ? american : (own ?? "");
}

function formatter(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${locale} ${JSON.stringify(options)}`;
  const known = formatters.get(key);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat(locale, options);
  formatters.set(key, made);
  return made;
}
