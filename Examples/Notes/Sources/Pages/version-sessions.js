// The versions of a document by the sessions in which they were written.

const pause = 10 * 60_000;

/**
 * Versions that follow each other within minutes, on one computer and one day, as one session.
 * @param {Array} versions the newest first @param {(date: number) => string} dayOf
 * @returns {Array<{versions: Array, since: string|null}>} `since` is the version before the session
 */
export function sessionsOf(versions, dayOf) {
  const sessions = [];
  versions.forEach((version, index) => {
    const later = versions[index - 1];
    const isNext = later && later.date - version.date <= pause && later.computer === version.computer && dayOf(later.date) === dayOf(version.date);
    if (!isNext) sessions.push({ versions: [] });
    sessions.at(-1).versions.push({ ...version, since: versions[index + 1]?.version ?? null });
  });
  return sessions.map((session) => ({ ...session, since: session.versions.at(-1).since }));
}
