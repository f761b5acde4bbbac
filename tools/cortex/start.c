/* Start-up of a Cortex-M on QEMU's MPS2 boards: stack, floating-point unit, main, end. */
#include <stdint.h>
#include <stdlib.h>

extern uint32_t stack_end, data_start, data_end, data_load, bss_start, bss_end;
extern int main(void);
extern void initialise_monitor_handles(void);

__attribute__((noreturn)) void start(void) {
    uint32_t *to, *from = &data_load;
    *(volatile uint32_t *)0xe000ed88 |= 0xfu << 20; /* CPACR: the floating-point unit is on */
    __asm volatile("dsb\n isb");
    for (to = &data_start; to < &data_end;) {
        *to++ = *from++;
    }
    for (to = &bss_start; to < &bss_end;) {
        *to++ = 0;
    }
    initialise_monitor_handles();
    exit(main());
}

/* The C library ends with it. */
void _fini(void) {
}

static void stop(void) {
    for (;;) {
    }
}

__attribute__((section(".vectors"), used)) static const void *const vectors[] = {&stack_end, start, stop, stop, stop, stop, stop};
