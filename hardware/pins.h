// Made from hardware/pins.toml by hardware/tools/pins_header.py. Change that file, then run it.
#pragma once

namespace zero_one::board::light {

constexpr int TALK = 1;  // talk button; external 10 k pull-up and RC; wakes from deep sleep
constexpr int MUTE_SENSE = 2;  // 1 while the slide switch has cut the microphones' supply
constexpr int MIC_BCLK = 4;  // I2S clock of both microphones
constexpr int MIC_WS = 5;  // I2S word select: left = MK1, right = MK2
constexpr int MIC_DATA = 6;  // I2S data of both microphones, one line
constexpr int AMP_BCLK = 7;  // I2S clock of the amplifier
constexpr int AMP_WS = 15;  // I2S word select of the amplifier
constexpr int AMP_DATA = 16;  // I2S data of the amplifier; it plays the left slot
constexpr int AMP_EN = 17;  // 0 = amplifier off (default by pull-down)
constexpr int I2C_SDA = 8;  // fuel gauge 0x36, haptic driver 0x5A, Qwiic
constexpr int I2C_SCL = 9;  // 400 kHz at most
constexpr int AMP_REF = 10;  // amplifier output, filtered, 1.65 V bias: echo reference on ADC1 channel 9
constexpr int CHG_STAT = 11;  // 0 while charging (open drain)
constexpr int VBUS_SENSE = 12;  // 1 while USB power is there (0.6 of VBUS)
constexpr int LED_DATA = 18;  // one WS2812B, GRB order
constexpr int USB_DM = 19;  // native USB: flashing, console, JTAG
constexpr int USB_DP = 20;  // native USB
constexpr int HAPTIC_EN = 21;  // 0 = haptic driver off (default by pull-down)
constexpr int BOOT = 0;  // strapping: 0 at reset = serial download; external 10 k pull-up
constexpr int UART_TX = 43;  // UART0 console on test pads
constexpr int UART_RX = 44;  // UART0 console on test pads

constexpr int LED_EN = 13;  // supply of the LED; pulled up = on. Drive 0 in deep sleep to save 0.6 mA
constexpr int GAUGE_ALRT = 14;  // fuel gauge alert (open drain, pull-up): low battery wakes from deep sleep

constexpr int I2C_MAX17048 = 0x36;
constexpr int I2C_DRV2605L = 0x5A;

}  // namespace zero_one::board::light
