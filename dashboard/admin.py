"""What the admins of the bot see and decide, in private, on the same page: people, quotas, health, errors.

To everybody else it does not exist. Does not know how a person is told that they were let in.
"""

from datetime import UTC, datetime

from attrs import define

from chat.operation import format_backup, format_receipt, list_audience, list_people, make_overview, propose_broadcast
from chat.services import Services
from dashboard.host import Host
from dashboard.visits import Answer, Handler, Visit, VisitRefused
from locales.catalog import tr
from records.owners import Standing
from runtime import logs

MAX_PEOPLE = 1_000
MAX_TEXT_CHARS = 4_000  # characters of a message to everybody; the bound that its sentence names is smaller


@define(kw_only=True, eq=False)
class Admin:
    """Handle requests of admins."""

    _services: Services
    _host: Host

    async def shown(self, visit: Visit) -> Answer:
        self._demand_admin(visit)
        operation, services, memory = self._host.operation, self._services, self._services.memory
        found = await make_overview(services, operation)
        spent = await memory.usage.of(services.clock().date())
        used = {person: one.prompt + one.completion for person, one in spent.items()}
        return {
            "memories": found.memories,
            "active_week": found.active,
            "waiting_updates": found.waiting,
            "failed_folds": found.failed,
            "bytes": found.size,
            "backup": format_backup(services.backups, UTC),
            "models": list(operation.models),
            "used_today": found.used,
            "budget": operation.budget,
            "budget_per_person": operation.budget_per_person,
            "everyone": operation.everyone,
            "health": dict(await self._host.health()),
            "people": [
                {"id": one.id, "name": one.name, "standing": one.standing, "used_today": used.get(one.id, 0)}
                for one in list_people(services, operation)[:MAX_PEOPLE]
            ],
            "broadcasts": [
                {"id": one.id, "said": format_receipt(await memory.broadcasts.progress(one), tr("broadcast-sending"))}
                for one in await memory.broadcasts.sending()
                if one.admin == visit.session.person
            ],
            "errors": [
                {"at": datetime.fromtimestamp(at, UTC).isoformat(), "where": where, "text": template}
                for at, where, template in reversed(logs.RECENT.lines)
            ],
        }

    def decision(self, standing: Standing) -> Handler:
        """Return a handler that gives a person this standing."""

        async def decided(visit: Visit) -> Answer:
            self._demand_admin(visit)
            number = visit.asked.integer("id")
            if standing == "removed" and number in self._host.operation.admin_ids:
                raise VisitRefused(409, tr("admin-not-an-admin"))
            if number <= 0:
                raise VisitRefused(404, tr("admin-nobody"))
            await self._host.decide(number, standing, visit.session.person)
            return await self.shown(visit)

        return decided

    async def propose(self, visit: Visit) -> Answer:
        """Preview a broadcast without sending it."""
        self._demand_admin(visit)
        text = visit.asked.text("text", MAX_TEXT_CHARS)
        found = await propose_broadcast(self._services, self._host.operation, visit.session.person, text)
        if isinstance(found, str):
            raise VisitRefused(400, found)
        made, people = found
        told = tr("broadcast-confirm", people=len(people))
        return {"id": made.id, "told": told, "text": made.text}

    async def send(self, visit: Visit) -> Answer:
        return await self._end_broadcast(visit, is_sent=True)

    async def stop(self, visit: Visit) -> Answer:
        return await self._end_broadcast(visit, is_sent=False)

    async def _end_broadcast(self, visit: Visit, *, is_sent: bool) -> Answer:
        """Send a proposed broadcast, or stop the one under way."""
        self._demand_admin(visit)
        memory, admin = self._services.memory, visit.session.person
        found = await memory.broadcasts.get(visit.asked.integer("id"))
        if found is None or found.admin != admin:
            raise VisitRefused(404, tr("shared-dead-button"))
        if is_sent:
            people = await list_audience(memory, self._host.operation, admin)
            await memory.broadcasts.begin(found, people, receipt=None)
            return {"said": tr("broadcast-sending"), **await self.shown(visit)}
        said = format_receipt(await memory.broadcasts.progress(found), tr("broadcast-stopped"))
        await memory.broadcasts.end(found)
        return {"said": said, **await self.shown(visit)}

    def _demand_admin(self, visit: Visit) -> None:
        if not visit.is_admin or visit.is_group:
            raise VisitRefused(404, tr("web-none"))
